extension OtherNames {
    package static let easings = OtherNames([
        "ease_in_out": "ease smooth smoothstep cubic", "ease_in_out_sine": "sine sinusoidal",
        "ease_out_bounce": "bounce", "ease_out_elastic": "elastic spring", "ease_out_back": "back overshoot",
        "hold": "step none constant discrete", "linear": "lerp",
    ])
}
