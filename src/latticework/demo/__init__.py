"""The demo: one program on every framework, beside the same program written in each framework by hand.

`program` is the one to read: it is written in latticework only. `by_hand_numpy`, `by_hand_torch`
and the like are the programs that it is compared with; `report` runs them all and shows the comparison.

`training` is a second program: a network that is trained by the frameworks' own derivatives. `training_report` runs it
and shows the losses.
"""
