import { formatDuration, formatInstantExactly } from '@replsim/kernel';
import { type ReactNode, useMemo } from 'react';
import { type FigureRow, figureRows, figuresOf } from '../../core/compare/figures.ts';
import type { Traced } from '../../core/compare/tracedPlayer.ts';
import type { Compared } from './useSecond.ts';

/** What one counts of both runs; what is equal is said to be. */
export function CompareTable({ one, other, likeness: { parted } }: Compared): ReactNode {
  const rows = useMemo(() => rowsOf(one, other), [one, other]);
  return (
    <table className="figures">
      <caption>Both runs in figures</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">the first</th>
          <th scope="col">the second</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.name} {...row} />
        ))}
        <tr>
          <th scope="row">first difference</th>
          <td colSpan={2}>{parted ? formatInstantExactly(parted.atMicros) : 'none'}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Row({ name, one, other }: FigureRow): ReactNode {
  return (
    <tr>
      <th scope="row">{name}</th>
      {one === other ? (
        <td colSpan={2}>{`${one} in both`}</td>
      ) : (
        <>
          <td className="differs">{one}</td>
          <td className="differs">{other}</td>
        </>
      )}
    </tr>
  );
}

function rowsOf(one: Traced, other: Traced): readonly FigureRow[] {
  const figures = [one, other].map(({ events, played }) => figuresOf(events, played.virtualMicros));
  return [
    { name: 'verdict', one: verdictOf(one), other: verdictOf(other) },
    { name: 'virtual time', one: lengthOf(one), other: lengthOf(other) },
    ...figureRows(figures[0]!, figures[1]!),
  ];
}

function verdictOf({ played }: Traced): string {
  return played.ok ? 'all held' : (played.failure?.title ?? 'failed');
}

function lengthOf({ played }: Traced): string {
  return formatDuration(played.virtualMicros);
}
