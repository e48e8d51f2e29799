"""Opens what `trample run --gltf` writes in other programs: python .ci/exports.py usd|blender FILE."""

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
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    prints = [o for o in bpy.data.objects if o.name.startswith("print ")]
    assert len(prints) > 20 and any(o.type == "ARMATURE" for o in bpy.data.objects)
    scene = bpy.context.scene

    def shown(frame):
        scene.frame_set(frame)
        return {o.name for o in prints if o.matrix_world.to_scale().length > 0.1}

    first, last = shown(0), shown(int(2.4 * scene.render.fps))
    assert first and last and first != last, (len(first), len(last))
    print(f"ok: Blender {bpy.app.version_string}: {len(prints)} pieces, {len(first)} at the start, {len(last)} at the end")


{"usd": usd, "blender": blender}[sys.argv[1]](sys.argv[2])
