"""What the calculators share with the chooser's rules: the machine around bought cards, and what it draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.advise import rules
from pipeline.advise.choose import hosts

_C = rules.room("choose")["constants"]
# Up to so many cards → USD of the machine around them beyond a PC that stands there. Eight have no sourced machine: the
# calculators take the largest that has a price, and the field for the machine is there to be typed over.
HOST_USD: Mapping[int, float] = {
    1: 0.0,
    **{host.cards: host.price_usd for host in hosts.load().hosts if 1 < host.cards < hosts.SERVER_CARDS},
    hosts.SERVER_CARDS: max(host.price_usd for host in hosts.load().hosts),
}
REST_OF_MACHINE_W: float = _C["idle_rest_w"]["is"]
REST_W: float = _C["rest_w"]["is"]
PSU_SHARE: float = _C["psu_share"]["is"]
SUPPLIES_W: Sequence[float] = _C["supplies_w"]["is"]
START_HOURS: float = _C["start_hours"]["is"]
