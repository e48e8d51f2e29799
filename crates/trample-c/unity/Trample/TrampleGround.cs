// A ground that takes prints, for Unity: put it on an empty object, name the foot bones of a character, and play. It makes a mesh of the
// terrain and writes the heights of tiles that have changed. Unity's axes are left-handed: z is mirrored, so that the terrain lies at
// x from 0 and z below 0 of this object.
using System;
using System.Text;
using UnityEngine;

namespace Trample
{
    [RequireComponent(typeof(MeshFilter), typeof(MeshRenderer))]
    public sealed unsafe class TrampleGround : MonoBehaviour
    {
        [TextArea(4, 12)] public string scene = "[terrain]\nsize = [8.0, 8.0]\ncell = 0.04\nmaterial = \"snow\"\n";
        [Tooltip("Transforms at the middle of each sole, on its lowest plane: z forward, y up.")]
        public Transform[] feet = Array.Empty<Transform>();
        public double mass = 75;
        public string footwear = "boot";

        TrampleWorld* world;
        int host = -1;
        Mesh mesh;
        Vector3[] vertices;
        Vector3[] before;
        int columns, rows;

        static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text + "\0");

        static string LastError() => System.Runtime.InteropServices.Marshal.PtrToStringUTF8((IntPtr)Native.trample_last_error());

        void OnEnable()
        {
            fixed (byte* toml = Utf8(scene)) world = Native.trample_from_toml(toml, null);
            if (world == null) { Debug.LogError(LastError(), this); enabled = false; return; }
            fixed (byte* name = Utf8(footwear))
            {
                var puppet = new TramplePuppet { feet = (uint)feet.Length, mass = mass, footwear = name, control = Native.TRAMPLE_BY_WEIGHT };
                if (feet.Length > 0 && (host = Native.trample_add_puppet(world, &puppet)) < 0) Debug.LogError(LastError(), this);
            }
            before = new Vector3[feet.Length];
            for (int i = 0; i < feet.Length; i++) before[i] = transform.InverseTransformPoint(feet[i].position);
            MakeMesh();
        }

        void OnDisable()
        {
            Native.trample_free(world);
            world = null;
            host = -1;
        }

        void FixedUpdate()
        {
            if (world == null) return;
            for (int i = 0; i < feet.Length && host >= 0; i++)
            {
                var at = transform.InverseTransformPoint(feet[i].position);
                var speed = (at - before[i]) / Time.fixedDeltaTime;
                before[i] = at;
                // Our soles look along x, Unity's along z; then z is mirrored.
                var turn = Quaternion.Inverse(transform.rotation) * feet[i].rotation * Quaternion.Euler(0, -90, 0);
                var sole = new TrampleSole();
                sole.position[0] = at.x; sole.position[1] = at.y; sole.position[2] = -at.z;
                sole.rotation[0] = -turn.x; sole.rotation[1] = -turn.y; sole.rotation[2] = turn.z; sole.rotation[3] = turn.w;
                sole.velocity[0] = speed.x; sole.velocity[1] = speed.y; sole.velocity[2] = -speed.z;
                if (!Native.trample_set_foot(world, (uint)host, (uint)i, &sole, null)) Debug.LogWarning(LastError(), this);
            }
            Native.trample_step(world, Time.fixedDeltaTime);
        }

        void Update()
        {
            if (world == null || (ulong)Native.trample_changed_count(world) == 0) return;
            const int side = (int)Native.TRAMPLE_TILE;
            var part = stackalloc float[side * side];
            TrampleTile tile;
            fixed (byte* height = Utf8("height"))
                while ((ulong)Native.trample_take_changed(world, &tile, (UIntPtr)1u) == 1)
                {
                    Native.trample_map(world, height, tile.x, tile.z, tile.columns, tile.rows, part, (UIntPtr)(uint)(side * side));
                    for (int z = 0; z < tile.rows; z++)
                        for (int x = 0; x < tile.columns; x++)
                            vertices[(tile.z + z) * columns + tile.x + x].y = part[z * (int)tile.columns + x];
                }
            mesh.vertices = vertices;
            mesh.RecalculateNormals();
        }

        void MakeMesh()
        {
            double cell;
            uint x1, z1;
            Native.trample_size(world, &cell, &x1, &z1);
            (columns, rows) = ((int)x1, (int)z1);
            var heights = new float[columns * rows];
            fixed (byte* name = Utf8("height"))
            fixed (float* to = heights)
                Native.trample_map(world, name, 0, 0, x1, z1, to, (UIntPtr)(uint)heights.Length);
            vertices = new Vector3[heights.Length];
            for (int i = 0; i < vertices.Length; i++)
                vertices[i] = new Vector3((float)((i % columns + 0.5) * cell), heights[i], (float)(-(i / columns + 0.5) * cell));
            var triangles = new int[(columns - 1) * (rows - 1) * 6];
            for (int z = 0, k = 0; z < rows - 1; z++)
                for (int x = 0; x < columns - 1; x++, k += 6)
                {
                    int a = z * columns + x, b = a + columns;
                    triangles[k] = a; triangles[k + 1] = a + 1; triangles[k + 2] = b;
                    triangles[k + 3] = b; triangles[k + 4] = a + 1; triangles[k + 5] = b + 1;
                }
            mesh = new Mesh { indexFormat = UnityEngine.Rendering.IndexFormat.UInt32, vertices = vertices, triangles = triangles };
            mesh.RecalculateNormals();
            GetComponent<MeshFilter>().sharedMesh = mesh;
        }
    }
}
