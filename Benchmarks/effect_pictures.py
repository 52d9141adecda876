"""Pictures to show effects on, drawn on the spot: a landscape, a portrait, the portrait before a
green screen.

Pure Python, from a fixed seed: the same bytes each time. Colours are 0…255, places in pixels of a
960×540 picture.
"""
import math
import random

WIDTH, HEIGHT = 960, 540


class Picture:
    def __init__(self, color):
        self.random = random.Random(7)
        self.rows = [[list(color(x, y)) for x in range(WIDTH)] for y in range(HEIGHT)]

    def mix(self, x, y, color, opacity):
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            pixel = self.rows[y][x]
            for c in range(3):
                pixel[c] += (color[c] - pixel[c]) * opacity

    def blob(self, x, y, width, height, color, opacity=1.0, soft=0.1, shape=lambda u, v: math.hypot(u, v)):
        """An ellipse, or what `shape` says is below 1; `soft` is the width of its edge, as a share
        of its radius.
        """
        reach = 1 + soft
        for py in range(int(y - height * reach), int(y + height * reach) + 2):
            for px in range(int(x - width * reach), int(x + width * reach) + 2):
                distance = shape((px - x) / width, (py - y) / height)
                if distance < reach:
                    self.mix(px, py, color, opacity * min(1, (reach - distance) / (2 * soft)))

    def stroke(self, points, color, opacity=1.0, width=1.0):
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            steps = max(1, int(2 * math.hypot(x1 - x0, y1 - y0)))
            for i in range(steps):
                x, y = x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps
                for dy in range(-int(width), int(width) + 1):
                    for dx in range(-int(width), int(width) + 1):
                        share = max(0, 1 - math.hypot(dx, dy) / width) if width > 1 else float(dx == dy == 0)
                        self.mix(int(x) + dx, int(y) + dy, color, opacity * share)

    def grain(self, size):
        for row in self.rows:
            for pixel in row:
                noise = self.random.gauss(0, size)
                for c in range(3):
                    pixel[c] += noise

    def write(self, path):
        with open(path, "wb") as file:
            file.write(b"P6 %d %d 255\n" % (WIDTH, HEIGHT))
            file.write(bytes(max(0, min(255, round(value))) for row in self.rows for pixel in row for value in pixel))


def ridge(dice, base, height, roughness):
    """Heights of mountains from left to right, by displacing midpoints."""
    line = [base, base - height * 0.3]
    while len(line) < WIDTH + 1:
        line = [y for a, b in zip(line, line[1:]) for y in (a, (a + b) / 2 + dice.gauss(0, height))] + [line[-1]]
        height *= roughness
    return [line[x * (len(line) - 1) // WIDTH] for x in range(WIDTH)]


def landscape(path):
    shore = 380
    picture = Picture(lambda x, y: (96 + y * 0.33, 156 + y * 0.2, 226 - y * 0.06))
    dice = picture.random
    picture.blob(690, 120, 240, 200, (255, 224, 150), 0.55, 0.95)
    picture.blob(690, 120, 34, 34, (255, 250, 226), 1, 0.12)
    for _ in range(14):
        x, y = dice.uniform(0, WIDTH), dice.uniform(30, 170)
        for _ in range(14):
            picture.blob(x + dice.gauss(0, 60), y + dice.gauss(0, 9), dice.uniform(18, 52), dice.uniform(7, 17),
                (255, 252, 246), 0.2, 0.8)
    for base, height, low, high in ((270, 60, (120, 146, 178), (206, 214, 226)), (320, 52, (74, 104, 112), (122, 150, 136)),
                                    (358, 30, (38, 74, 52), (92, 130, 70))):
        line = ridge(dice, base, height, 0.52)
        for x in range(WIDTH):
            slope = line[min(x + 3, WIDTH - 1)] - line[x]
            for y in range(max(0, int(line[x])), shore):
                light = min(1, max(0, 0.5 - slope * 0.12 + dice.gauss(0, 0.12) - (y - line[x]) * 0.002))
                picture.mix(x, y, [a + (b - a) * light for a, b in zip(low, high)], 1)
    for _ in range(420):
        x, y, size = dice.uniform(0, WIDTH), dice.uniform(340, shore - 2), dice.uniform(7, 22)
        shade = dice.uniform(0.5, 1.1)
        for i in range(int(size)):
            for dx in range(-int(i * 0.3), int(i * 0.3) + 1):
                picture.mix(int(x) + dx, int(y - size) + i, (30 * shade, 62 * shade, 36 * shade), 0.75 if (dx + i) % 3 else 0.5)
    for y in range(shore, HEIGHT):
        for x in range(WIDTH):
            ripple = int(3 * math.sin(y * y * 0.004 + x * 0.02) + dice.gauss(0, 1.2))
            mirrored = picture.rows[max(0, 2 * shore - y + int(1.2 * ripple))][min(WIDTH - 1, max(0, x + ripple))]
            light = 14 * math.sin(y * 0.9 + math.sin(x * 0.05) * 2)
            picture.rows[y][x] = [mirrored[0] * 0.62 + 8 + light, mirrored[1] * 0.7 + 18 + light, mirrored[2] * 0.78 + 28 + light]
    for x, y, size, colors in ((236, 150, 58, ((208, 44, 52), (250, 206, 66), (40, 92, 176))),
        (486, 92, 24, ((240, 130, 40), (250, 244, 230)))):
        for i in range(-12, 13):
            share = i / 12
            color = colors[(i + 12) * 7 // 25 % len(colors)]
            shape = lambda u, v, s=share: math.hypot(u, v * (1 if v < 0 else 0.82)) if abs(u - s) < 0.06 else 9
            picture.blob(x, y, size, size * 1.1, [c * (1.08 - 0.35 * abs(share + 0.3)) for c in color], 1, 0.02, shape)
        for side in (-0.4, 0.4):
            picture.stroke([(x + side * size, y + size), (x + side * size * 0.4, y + size * 1.6)], (70, 50, 40))
        picture.blob(x, y + size * 1.75, size * 0.2, size * 0.16, (112, 72, 40), 1, 0.1, lambda u, v: max(abs(u), abs(v)))
    for _ in range(2600):
        x, y = dice.uniform(0, WIDTH), HEIGHT + dice.uniform(-6, 40) - 26 * math.sin(dice.uniform(0, 3))
        bend, size, tone = dice.gauss(0, 6), dice.uniform(14, 50), dice.uniform(0.6, 1.3)
        picture.stroke([(x, y), (x + bend * 0.4, y - size * 0.6), (x + bend, y - size)], (58 * tone, 104 * tone, 34 * tone), 0.85)
    picture.grain(2)
    picture.write(path)


def portrait(path, screen=None):
    picture = Picture((lambda x, y: screen) if screen else (lambda x, y: (70 + x * 0.03, 92 + y * 0.05, 104 + x * 0.02)))
    dice = picture.random
    if not screen:
        for _ in range(60):
            size = dice.uniform(14, 46)
            picture.blob(dice.uniform(0, WIDTH), dice.uniform(0, HEIGHT), size, size,
                         dice.choice(((240, 196, 120), (120, 170, 190), (200, 130, 110), (90, 130, 96))), 0.2, 0.15)
    hair, skin, shade = (46, 32, 26), (224, 172, 142), (168, 108, 84)
    picture.blob(480, 232, 168, 196, hair, 1, 0.03)
    picture.blob(480, 620, 300, 200, (64, 84, 128), 1, 0.02)
    picture.blob(480, 470, 74, 110, [c * 0.88 for c in skin], 1, 0.03, lambda u, v: max(abs(u) - 0.12 * v * v, abs(v)))
    picture.blob(480, 425, 84, 40, shade, 0.5, 0.6)
    for side in (-1, 1):
        picture.blob(480 + side * 132, 272, 20, 38, [c * 0.9 for c in skin], 1, 0.08)
    picture.blob(480, 262, 130, 166, skin, 1, 0.02, lambda u, v: math.hypot(u * (1 + 0.2 * max(0, v)), v))
    picture.blob(440, 220, 90, 110, (246, 202, 176), 0.45, 0.9)
    picture.blob(572, 290, 60, 130, shade, 0.4, 0.9)
    for side in (-1, 1):
        picture.blob(480 + side * 70, 318, 40, 28, (222, 130, 116), 0.3, 0.95)
    # Spots and pores, which the effect is to take away.
    for _ in range(150):
        x, y, size = dice.gauss(480, 62), dice.gauss(282, 74), dice.uniform(1.2, 3.6)
        if math.hypot((x - 480) / 118, (y - 262) / 150) < 1:
            picture.blob(x, y, size, size, dice.choice(((186, 112, 94), (200, 140, 116), (238, 196, 170))), 0.55, 0.5)
    for y in range(90, 430):
        for x in range(345, 615):
            if math.hypot((x - 480) / 128, (y - 262) / 164) < 1:
                noise = dice.gauss(0, 3.4)
                picture.rows[y][x] = [c + noise for c in picture.rows[y][x]]
    for side in (-1, 1):
        x, y = 480 + side * 54, 240
        picture.blob(x, y - 4, 34, 20, shade, 0.35, 0.8)
        picture.blob(x, y, 26, 12, (246, 242, 238), 1, 0.08)
        picture.blob(x, y - 1, 11.5, 11.5, (74, 98, 84), 1, 0.1)
        picture.blob(x, y - 1, 5.5, 5.5, (12, 10, 10), 1, 0.15)
        picture.blob(x + 4, y - 5, 2.4, 2.4, (255, 255, 255), 1, 0.3)
        lid = [(x + 28 * t / 10, y - 13 * math.sqrt(1 - (t / 10) ** 2) + 1) for t in range(-10, 11)]
        picture.stroke(lid, (36, 22, 18), 0.95, 2.4)
        for px, py in lid[::2]:
            picture.stroke([(px, py), (px + (px - x) * 0.22, py - 7)], (30, 20, 18), 0.8)
        for i in range(90):
            t = dice.uniform(-1, 1)
            px, py = x + 34 * t, y - 34 - 7 * (1 - t * t) + dice.gauss(0, 2.4)
            picture.stroke([(px, py), (px + side * 7, py - 3 + 4 * abs(t))], (52, 34, 26), 0.7)
    picture.blob(492, 292, 12, 40, shade, 0.3, 0.9)
    for side in (-1, 1):
        picture.blob(480 + side * 13, 320, 6, 3.4, (110, 60, 50), 0.85, 0.5)
    picture.blob(480, 364, 40, 11, (182, 78, 84), 1, 0.12, lambda u, v: math.hypot(u, v * (1.25 if v < 0 else 0.9)))
    picture.stroke([(442, 363), (466, 361), (480, 364), (494, 361), (518, 363)], (110, 40, 48), 0.8, 1.6)
    picture.blob(486, 370, 16, 3, (226, 142, 142), 0.5, 0.8)
    # Hair, in strands.
    for _ in range(1500):
        t = dice.uniform(-1, 1)
        x, y, tone = 480 + 150 * t, 112 + 70 * t * t + dice.gauss(0, 13), dice.uniform(0.5, 2)
        length, side = dice.uniform(70, 260) * abs(t) ** 1.5 + 26, 1 if t > 0 else -1
        picture.stroke([(x, y), (x + side * (8 + 14 * abs(t)), y + length * 0.5), (x + side * (12 + 10 * abs(t)), y + length)],
                       [c * tone for c in hair], 0.6)
    picture.grain(1.2)
    picture.write(path)
