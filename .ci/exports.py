"""Opens what `trample run --gltf` writes in other programs: python .ci/exports.py usd|blender|exr FILE."""

import sys


def usd(path):
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(path)
    meshes = [p for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
    pieces = [p for p in meshes if "/prints/" in str(p.GetPath())]
    end = stage.GetEndTimeCode()

    def shown(time):
        return {str(p.GetPath()) for p in pieces if UsdGeom.Imageable(p).ComputeVisibility(time) != "invisible"}

    first, last = shown(0), shown(end)
    assert len(pieces) > 20 and first and last and first != last, (len(pieces), len(first), len(last))
    assert len(first) == len(last), "as many pieces at the end as at the start: nothing is missing, nothing twice"
    root = next(p for p in stage.Traverse() if p.IsA(UsdSkel.Root))
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
    skeleton = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath(f"{root.GetPath()}/skeleton")))
    body = stage.GetPrimAtPath(f"{root.GetPath()}/body")
    skin = cache.GetSkinningQuery(body)
    places = []
    for time in (1, end):
        points = UsdGeom.Mesh(body).GetPointsAttr().Get()
        assert skin.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(time), points, time)
        height = max(p[1] for p in points) - min(p[1] for p in points)
        assert 1.5 < height < 2.0, height
        places.append(sum(p[0] for p in points) / len(points))
    assert places[1] > places[0] + 1.0, places
    print(f"ok: USD: {len(pieces)} pieces, {len(first)} at a time; the body walks from {places[0]:.2f} to {places[1]:.2f} m")


def blender(path):
    """Prints appear as the body comes by: none is seen ahead of it, in GLB as in USD."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    (bpy.ops.wm.usd_import if path.endswith(".usda") else bpy.ops.import_scene.gltf)(filepath=path)
    objects = [o for o in bpy.data.objects if o.type == "MESH"]
    prints = [o for o in objects if o.name.startswith(("print ", "piece_"))]
    body = next(o for o in objects if "body" in o.name)
    assert len(prints) > 20 and any(o.type == "ARMATURE" for o in bpy.data.objects)
    scene = bpy.context.scene
    seen = []
    for seconds in (0.0, 0.6, 1.2, 1.8, 2.4):
        frame = seconds * scene.render.fps
        scene.frame_set(int(frame), subframe=frame % 1)
        skin = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
        front = max((skin.matrix_world @ v.co).x for v in skin.to_mesh().vertices)
        shown = [o for o in prints if o.visible_get() and o.matrix_world.to_scale().length > 0.1]
        ground = [o.matrix_world @ v.co for o in shown for v in o.data.vertices]
        ahead = min((p.z for p in ground if p.x > front + 0.1), default=0.0)
        assert ahead > -1e-4, f"{seconds} s: a print {ahead} m deep lies ahead of the body at {front} m"
        seen.append((len(shown), min(p.z for p in ground)))
    assert len({n for n, _ in seen}) == 1, f"as many pieces at any time: nothing is missing, nothing twice: {seen}"
    assert seen[0][1] > -1e-4 and seen[-1][1] < -0.005, seen
    print(f"ok: Blender {bpy.app.version_string}: {path.rsplit('.', 1)[1]}: {len(prints)} pieces, {seen[0][0]} at a time, none pressed ahead of the body")


def exr(path):
    """An EXR is no black picture: Blender reads the heights that the map has."""
    import bpy

    image = bpy.data.images.load(path)
    values = image.pixels[:][0::4]
    assert min(values) < -0.005 and max(values) > 0.0, (min(values), max(values))
    print(f"ok: Blender {bpy.app.version_string}: EXR from {min(values):.4f} to {max(values):.4f} m")


{"usd": usd, "blender": blender, "exr": exr}[sys.argv[1]](sys.argv[2])
