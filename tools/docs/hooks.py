"""Hooks of MkDocs: what pages link to outside of docs/ becomes a part of the site.

A source or a script is served as text (source/….txt), and CONTRIBUTING.md becomes a page.
"""
import os
import re

from mkdocs.structure.files import File

LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]+)(?=[)#])")
PAGES = {"CONTRIBUTING.md": "contributing.md"}


def root(config):
    return os.path.dirname(config["config_file_path"])


def outside(config, page, target):
    """The path below the repository of a link that leaves docs/, or None."""
    path = os.path.normpath(os.path.join(os.path.basename(config["docs_dir"]), os.path.dirname(page), target))
    inside = os.path.basename(config["docs_dir"]) + os.sep
    return None if path.startswith((inside, "..")) or not os.path.isfile(os.path.join(root(config), path)) else path


def place(path):
    """The path in the site's sources of a file of the repository."""
    return PAGES.get(path) or f"source/{path}.txt"


def on_files(files, config):
    found = set(PAGES)
    for file in files.documentation_pages():
        found |= {outside(config, file.src_uri, target) for _, target in LINK.findall(file.content_string)}
    for path in sorted(found - {None}):
        whole = os.path.join(root(config), path)
        if path in PAGES:
            with open(whole, encoding="utf-8") as file:
                content = file.read().replace("](docs/", "](")
            files.append(File.generated(config, PAGES[path], content=content))
        else:
            files.append(File.generated(config, place(path), abs_src_path=whole))
    return files


def on_page_markdown(markdown, page, config, files):
    def rewritten(match):
        path = outside(config, page.file.src_uri, match[2])
        return match[0] if path is None else match[1] + os.path.relpath(place(path), os.path.dirname(page.file.src_uri) or ".")

    return LINK.sub(rewritten, markdown)
