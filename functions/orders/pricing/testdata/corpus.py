#!/usr/bin/env python3
"""Writes cases of prices, as the reference of the rental prices has them, for the test of the corpus.

  corpus.py REFERENCE [CASES [SEED]] > corpus.json      REFERENCE is the path of the reference, a Python file

Where the text of the rules and the reference differ, the text stands, and the reference is mended here:
 - A time at which a rule begins or ends may be shown twice where clocks are put back. The reference cuts the rental at the second
   one alone; here it is cut at both.
 - The length that a minimum is for is the time without any minimum. The reference doesn't look at it.
 - Lateness counts from the later of the end and the end that was priced, and the tariff of pro_rata is the longest of the sum
   that was priced. The reference takes the end, and the sum without rules.
 - Durations that are no multiple of 900 seconds count alone, and of more than 400 days the longest tariff comes first. The reference
   searches all sums. Such long rentals are only made where clocks never change and months are days.
 - The reference has no seasons of each year.
 - A rental of no time at all costs a unit. The reference, which has no shares of it, says that it costs nothing. It has no rules here.
"""
import importlib.util
import json
import random
import sys
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
ref = importlib.util.module_from_spec(spec)
sys.modules["reference"] = ref
spec.loader.exec_module(ref)
HOUR, DAY, MONTH = ref.HOUR, ref.DAY, ref.MONTH
MOST = 400 * DAY


# ---- the reference, mended ---------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Yearly(ref.Rule):
    def holds(self, w):
        first, last = ((d.month, d.day) for d in self.season)
        now = (w.month, w.day)
        return first <= now <= last if first <= last else now >= first or now <= last


def pieces(co, rules, start, end):
    cuts, w = {start, end}, ref.wall(co.zone, start).replace(hour=0, minute=0, second=0) - timedelta(days=1)
    marks = {0} | {s for r in rules for s in r.hours}
    offsets = {ref.offset(co.zone, start + timedelta(hours=h)) for h in range(-24, ref.seconds(start, end) // HOUR + 26)}
    while w <= ref.wall(co.zone, end) + timedelta(days=1):
        for s in marks:
            for o in offsets:  # a cut that is none changes nothing
                cuts.add((w + timedelta(seconds=s) - o).replace(tzinfo=timezone.utc))
        w += timedelta(days=1)
    u = start
    while u < end:
        if ref.offset(co.zone, u) != ref.offset(co.zone, u + timedelta(hours=1)):
            cuts |= {u + timedelta(seconds=n) for n in range(3601)}
        u += timedelta(hours=1)
    cuts, out = sorted(c for c in cuts if start <= c <= end), {}
    for a, b in zip(cuts, cuts[1:]):
        w = ref.wall(co.zone, a)
        sig = frozenset(i for i, r in enumerate(rules) if r.holds(w))
        out[sig] = out.get(sig, 0) + ref.seconds(a, b)
    return out


search = ref.cheapest


def cheapest(co, tariffs, start, end):
    odd = [t for t in tariffs if co.cls(t) != "any" and t.duration % 900]
    timed = [t for t in tariffs if co.cls(t) != "any" and t not in odd]
    anys = [t for t in tariffs if co.cls(t) == "any"]
    options = [{t: co.units(t, start, end)} for t in odd] + [{t: 1} for t in anys]
    if timed:
        first = min(timed, key=lambda t: (-t.duration, t.id))
        n = max(0, -(-(ref.seconds(start, end) - MOST) // first.duration))
        rest = search(co, timed, start + timedelta(seconds=n * first.duration), end)
        if n:
            rest[first] = rest.get(first, 0) + n
        options.append(rest)
    return min(options, key=ref.key, default=None)


ref.pieces, ref.cheapest = pieces, cheapest


def price(co, offer, start, end, rules, named):
    long = lambda r: (not r.at_least or ref.plus(co, start, r.at_least) <= end) and (not r.below or ref.plus(co, start, r.below) > end)
    got = ref.price(co, offer, start, end, [r for r in rules if not r.minimum or long(r)], named)
    if start >= end and not rules:
        got.gross = got.steps[0][1]
    return got


def late_fee(co, offer, start, end, back, rules, named):
    was = price(co, offer, start, end, rules, named)
    late = ref.seconds(was.end, back)
    if late <= co.grace:
        return 0
    if co.late == "tariffs":
        fee = max(0, price(co, offer, start, back, rules, named).gross - was.gross)
    else:
        t = shown(was, named)
        if t.duration <= 0:
            return 0
        fee = Fraction(t.price * ((late - co.grace) // co.step), -(-t.duration // co.step))
    fee = ref.half_away(Fraction(fee) * co.late_percent / 100)
    return fee if co.late_cap is None else min(fee, co.late_cap * -(-late // DAY))


def shown(priced, named):
    return named or min(priced.parts, key=lambda t: (-t.duration, t.id))


# ---- cases -------------------------------------------------------------------------------------------------------------
ZONES = ("Asia/Almaty", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
DURATIONS = (900, 1800, HOUR, 2 * HOUR, 5400, 12 * HOUR, DAY, DAY, 2 * DAY, 3 * DAY, 36 * HOUR, 7 * DAY, 14 * DAY, MONTH)
NEAR = (datetime(2026, 3, 25), datetime(2026, 10, 21), datetime(2026, 1, 29), datetime(2026, 3, 5), datetime(2026, 10, 29),
        datetime(2028, 2, 26), datetime(2026, 4, 2), datetime(2026, 10, 1), datetime(2026, 12, 29))
LENGTHS = (HOUR, 20 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY)


def company(rnd):
    return ref.Company(zone=ZoneInfo(rnd.choice(ZONES)), calendar=rnd.random() < .5, grace=rnd.choice((0, 1800, HOUR)),
                       step=rnd.choice((60, HOUR, 5000)), late=rnd.choice(("pro_rata", "tariffs", "tariffs")),
                       late_percent=rnd.choice((100, 100, 50, 150, 33)), late_cap=rnd.choice((None, None, 5000, 123456)))


def tariff(rnd, id, durations):
    d = rnd.choice(durations)
    usual = int(d / HOUR * rnd.randint(80, 120) * (HOUR / d) ** .15) * 100 + 100  # the longer, the less for an hour
    p = rnd.choice((usual,) * 8 + (rnd.randint(0, 50) * 100, rnd.randint(1, 10**6)))
    if rnd.random() < .08:
        return ref.Tariff(id, p, rnd.choice((0, d)), True) if rnd.random() < .5 else ref.Tariff(id, p, 0)
    return ref.Tariff(id, p, d + 100 if rnd.random() < .04 else d)


def rule(rnd, id, first, offer):
    kind, k, day = ref.Rule, {}, lambda n: first + timedelta(days=n)
    condition = rnd.randint(0, 4)
    if condition == 0:
        n = rnd.randint(-2, 9)
        k["season"] = (day(n), day(n + rnd.randint(0, 6)))
    elif condition == 1:
        kind, k["season"] = Yearly, tuple(day(rnd.randint(-2, 9)).replace(year=2028) for _ in range(2))
    elif condition == 2:
        k["weekdays"] = tuple(sorted(rnd.sample(range(7), rnd.randint(1, 4))))
    elif condition == 3:
        k["hours"] = tuple(rnd.sample((0, HOUR, 5400, 2 * HOUR, 9000, 3 * HOUR, 8 * HOUR, 20 * HOUR, 23 * HOUR), 2))
    if rnd.random() < .25:
        k["at_least"] = rnd.choice(LENGTHS)
    if rnd.random() < .15:
        k["below"] = rnd.choice(LENGTHS)
    effect = rnd.randint(0, 5)
    if effect == 0 or rnd.random() < .05:
        k["minimum"] = rnd.choice(LENGTHS)
    elif effect == 1:
        k["prices"] = tuple((t.id, t.price * rnd.randint(5, 20) // 10) for t in rnd.sample(offer, rnd.randint(1, len(offer))))
    else:
        k["percent"] = Fraction(rnd.choice((-10000, -2500, -1000, 1250, 2000, 333, 10000, rnd.randint(-9999, 20000))), 100)
    return kind(rnd.randint(0, 3), id, **k)


def case(rnd, companies):
    at = rnd.randrange(len(companies))
    co = companies[at]
    zone = ZONES.index(co.zone.key)
    long = zone == 0 and not co.calendar and rnd.random() < .04
    offer = [tariff(rnd, i + 1, (DAY, 7 * DAY, MONTH, 36 * HOUR, 45 * DAY) if long else DURATIONS) for i in range(rnd.randint(1, 5))]
    named = rnd.choice(offer) if rnd.random() < .15 else None
    start = ref.moment(co.zone, rnd.choice(NEAR) + timedelta(minutes=30 * rnd.randint(0, 300)))
    timed = [t.duration for t in offer if t.duration > 0]
    most = 14 * DAY if min(timed, default=DAY) < HOUR else 45 * DAY
    lasts = rnd.choice((rnd.randint(1, 3 * DAY), 1800 * rnd.randint(1, most // 1800), DAY * rnd.randint(1, 12)))
    if long:
        lasts = DAY * rnd.randint(395, 500) + rnd.randint(0, DAY)
    end = start + timedelta(seconds=lasts)
    back = end + timedelta(seconds=rnd.choice((rnd.randint(-DAY, 2 * HOUR), rnd.randint(0, 4 * DAY))))
    first = ref.wall(co.zone, start).date()
    rules = [] if long else [rule(rnd, i + 1, first, offer) for i in range(rnd.choice((0, 0, 1, 1, 2, 3, 5)))]
    if rnd.random() < .01:
        end, back, rules = start, start, []
    got = price(co, offer, start, end, rules, named)
    steps = [x for what, x in got.steps if what.startswith("rule")]
    lists = sum(x for what, x in got.steps if what == "prices")
    late = late_fee(co, offer, start, end, back, rules, named)
    parts = [[t.id, n] for t, n in sorted(got.parts.items(), key=lambda p: p[0].id)]
    return [at, [[t.id, t.price, t.duration] + [1] * t.once for t in offer], named.id if named else 0, [told(r) for r in rules],
            int(start.timestamp()), ref.seconds(start, end), ref.seconds(start, back),
            [got.gross, parts, ref.seconds(start, got.end), got.steps[0][1], lists, steps, shown(got, named).id, late]]


def told(r):
    n = lambda d: d.year * 10000 + d.month * 100 + d.day
    k = {"o": r.ordering, "i": r.id, "w": r.weekdays, "h": r.hours, "a": r.at_least, "b": r.below, "l": r.prices, "m": r.minimum}
    if r.season:
        k["y" if isinstance(r, Yearly) else "s"] = [n(d) for d in r.season]
    k = {name: v for name, v in k.items() if v}
    if r.percent is not None:
        k["p"] = int(r.percent * 100)
    return k


def main(cases=2400, seed=1):
    rnd = random.Random(seed)
    companies = [company(rnd) for _ in range(60)]
    dump = lambda x: json.dumps(x, separators=(",", ":"))
    rows = [[co.zone.key, int(co.calendar), co.grace, co.step, int(co.late == "tariffs"), co.late_percent,
             -1 if co.late_cap is None else co.late_cap] for co in companies]
    print('{"companies":' + dump(rows) + ',\n"cases":[\n' + ",\n".join(dump(case(rnd, companies)) for _ in range(cases)) + "\n]}")


main(*map(int, sys.argv[2:]))
