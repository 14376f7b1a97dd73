import { durationText, formatInstantExactly } from '@replsim/kernel';
import { type ReactNode, useMemo } from 'react';
import type { Comparison } from '../../core/compare/comparison.ts';
import type { Ended } from '../../core/compare/endedPlayer.ts';
import { type FigureRow, figureRows } from '../../core/compare/figureRows.ts';
import type { Compared } from './useSecond.ts';

/** What one counts of both runs; what is equal is said to be. */
export function CompareTable({ one, other, comparison }: Compared): ReactNode {
  const rows = useMemo(() => rowsOf(one, other, comparison), [one, other, comparison]);
  const { parted } = comparison.likeness;
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

function rowsOf(one: Ended, other: Ended, comparison: Comparison): readonly FigureRow[] {
  return [
    { name: 'verdict', one: verdictOf(one), other: verdictOf(other) },
    { name: 'virtual time', one: lengthOf(one), other: lengthOf(other) },
    ...figureRows(comparison.one, comparison.other),
  ];
}

function verdictOf({ played }: Ended): string {
  return played.ok ? 'all held' : (played.failure?.title ?? 'failed');
}

function lengthOf({ played }: Ended): string {
  return durationText(played.virtualMicros);
}
