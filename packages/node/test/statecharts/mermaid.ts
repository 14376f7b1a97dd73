import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A statechart as a Mermaid `stateDiagram-v2`: states, initial states, `event [guard] / actions`, entry actions. */
export function mermaid({ root }: AnyStateMachine): string {
  const lines = ['stateDiagram-v2'];
  // Mermaid knows regions inside a state only.
  if (root.type === 'parallel') lines.push(`  state ${root.key} {`, ...contents(root, '    '), '  }');
  else lines.push(...contents(root, '  '));
  return [...lines, ...transitions(root)].join('\n');
}

/** A state's name in the picture; where two states bear one, the one above tells them apart. */
function idOf(node: AnyStateNode): string {
  const namesakes = descendants(node.machine.root).filter(({ key }) => key === node.key);
  return namesakes.length > 1 ? `${node.parent!.key}_${node.key}` : node.key;
}

export function descendants(node: AnyStateNode): AnyStateNode[] {
  return Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);
}

/** What stands between a state's braces. The regions of a parallel state lie side by side. */
function contents(node: AnyStateNode, indent: string): string[] {
  const children = Object.values(node.states);
  if (node.type === 'parallel') {
    return children.flatMap((child, i) => [...(i > 0 ? [`${indent}--`] : []), ...stateLines(child, indent)]);
  }
  const ends = children.filter(({ type }) => type === 'final').map((child) => `${indent}${idOf(child)} --> [*]`);
  const initial = idOf(node.initial.target[0]!);
  return [`${indent}[*] --> ${initial}`, ...children.flatMap((child) => stateLines(child, indent)), ...ends];
}

function stateLines(node: AnyStateNode, indent: string): string[] {
  const id = idOf(node);
  const entry = actionNames(node.entry);
  const declared = id === node.key ? [] : [`${indent}state "${node.key}" as ${id}`];
  const entered = entry.length > 0 ? [`${indent}${id} : entry / ${entry.join(', ')}`] : [];
  const lines = [...declared, ...entered];
  if (Object.keys(node.states).length === 0) return lines.length > 0 ? lines : [`${indent}${id}`];
  return [...lines, `${indent}state ${id} {`, ...contents(node, `${indent}  `), `${indent}}`];
}

function transitions(node: AnyStateNode): string[] {
  const own = [...node.transitions.values(), node.always ?? []].flat().map((transition) => {
    const target = idOf(transition.target?.[0] ?? node);
    const guard = nameOf(transition.guard);
    const actions = actionNames(transition.actions);
    const label = [transition.eventType, guard && `[${guard}]`, actions.length > 0 && `/ ${actions.join(', ')}`];
    return `  ${idOf(node)} --> ${target} : ${label.filter(Boolean).join(' ')}`;
  });
  return [...own, ...Object.values(node.states).flatMap(transitions)];
}

function actionNames(actions: readonly unknown[]): string[] {
  return actions.map(nameOf).filter((name) => name !== undefined);
}

/** Actions and guards are names, or objects with a `type`. */
function nameOf(named: unknown): string | undefined {
  if (typeof named === 'string') return named;
  return typeof named === 'object' && named !== null && 'type' in named ? String(named.type) : undefined;
}
