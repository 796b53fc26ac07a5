import '@xyflow/react/dist/style.css';
import { Graph, layout } from '@dagrejs/dagre';
import { type Edge, type Node, ReactFlow } from '@xyflow/react';
import { useEffect, useState } from 'react';
import type { Definition } from '@/api/definition';
import type { RunStore } from '@/live';

/**
 * The simple solution for comparison: plain React Flow with a dagre layout. Each change replaces the array of nodes.
 */
export function Plain({ definition, store }: { definition: Definition; store: RunStore }) {
  const [initial] = useState(() => flowOf(definition));
  const [nodes, setNodes] = useState(initial.nodes);
  useEffect(() => {
    let latest = store.getRuns();
    return store.subscribe(() => {
      const runs = store.getRuns();
      const before = latest;
      latest = runs;
      setNodes((nodes) =>
        nodes.map((node, i) => {
          const run = runs[i];
          return run && run !== before[i] ? { ...node, data: { label: `${run.key} ${run.state}` } } : node;
        }),
      );
    });
  }, [store]);
  return (
    <div style={{ height: '100%' }}>
      <ReactFlow nodes={nodes} edges={initial.edges} fitView minZoom={0.01} proOptions={{ hideAttribution: true }} />
    </div>
  );
}

function flowOf(definition: Definition): { nodes: Node[]; edges: Edge[] } {
  const graph = new Graph().setGraph({}).setDefaultEdgeLabel(() => ({}));
  const tasks = definition.jobs.flatMap((job) => job.tasks ?? []);
  for (const { key } of tasks) graph.setNode(key, { width: 160, height: 46 });
  const edges = tasks.flatMap(({ key, needs }) =>
    (needs ?? []).map((need): Edge => ({ id: `${need}>${key}`, source: need, target: key })),
  );
  for (const { source, target } of edges) graph.setEdge(source, target);
  layout(graph);
  const nodes = tasks.map(({ key }): Node => {
    const { x, y } = graph.node(key) as { x: number; y: number };
    return { id: key, position: { x: x - 80, y: y - 23 }, data: { label: key }, width: 160, height: 46 };
  });
  return { nodes, edges };
}
