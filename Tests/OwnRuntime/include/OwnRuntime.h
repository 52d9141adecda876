// Nothing: what is here is for the linker.
#pragma once
