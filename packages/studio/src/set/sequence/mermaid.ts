import { type Sequence, titleOf } from './sequence.ts';

const ARROWS = { ask: '->>', reply: '-->>', yes: '-->>', no: '-->>', lost: '-x' } as const;

/** A sequence diagram as Mermaid has it, for documents that draw it themselves. */
export function mermaidOf(sequence: Sequence): string {
  const { members, rows } = sequence;
  const names = new Map(members.map((name, i) => [name, `m${i + 1}`]));
  const all = members.length === 1 ? 'm1' : `m1,m${members.length}`;
  const lines = rows.map((row) => {
    if (row.kind === 'line') return `Note over ${all}: ${escaped(row.text)}`;
    if (row.kind === 'note') return `Note over ${names.get(row.member)}: ${escaped(row.text)}`;
    return `${names.get(row.from)}${ARROWS[row.look]}${names.get(row.to)}: ${escaped(row.text)}`;
  });
  const participants = members.map((name) => `participant ${names.get(name)} as ${escaped(name)}`);
  const all4 = [`%% ${titleOf(sequence)}`, ...participants, ...lines];
  return `sequenceDiagram\n${all4.map((line) => `    ${line}\n`).join('')}`;
}

/** A semicolon would end the line, and a number sign begin a character's number. */
function escaped(text: string): string {
  return text.replace(/[#;]/g, (character) => `#${character.charCodeAt(0)};`).replace(/\s+/g, ' ');
}
