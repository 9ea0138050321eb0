"""Write out/report-DAY.txt: how many orders there are, and since when they are counted."""

import argparse
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--day", required=True)
parser.add_argument("--since", default="", help="the last report that succeeded; empty if there was none")
options = parser.parse_args()

orders = sorted(Path("data").glob("order-*.txt"))
out = Path("out")
out.mkdir(exist_ok=True)
target = out / f"report-{options.day}.txt"
target.write_text(f"orders since {options.since or 'the beginning'}: {len(orders)}\n")
print(f"wrote {target}")
