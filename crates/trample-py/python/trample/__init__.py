"""Simulation of feet on natural ground and plants.

>>> import trample
>>> w = trample.World("plate")
>>> w.run()
>>> w.hash()
'...'
>>> float(w.map("compression").max()) > 0.004
True

Units are SI, y is up, x and z span the ground. The same scene and the same steps give the same state, bit for bit.
"""

from ._trample import SceneError, SnapshotError
from ._sweep import sweep
from ._view import view
from ._world import MapArray, World, maps, scenes

__version__ = "0.1.0"
__all__ = ["MapArray", "SceneError", "SnapshotError", "World", "maps", "scenes", "sweep", "view"]
