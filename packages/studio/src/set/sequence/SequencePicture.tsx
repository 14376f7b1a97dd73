import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import { OWN_TOKENS } from '../style.ts';
import { type Row, type Sequence, titleOf } from './sequence.ts';

const COLUMN = 230;
const LEFT = 96;
const TOP = 64;
const ROW = 30;

/** A stretch of a run: members as lines, messages as arrows, what becomes of members in boxes on their lines. */
export function SequencePicture({ sequence }: { readonly sequence: Sequence }): ReactNode {
  const { members, rows } = sequence;
  const width = LEFT + COLUMN * members.length;
  const height = TOP + ROW * (rows.length + 1);
  const xOf = (member: string) => LEFT + COLUMN * (members.indexOf(member) + 0.5);
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="setpic"
    >
      <title>{titleOf(sequence)}</title>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, which React would escape as it must not be in a style */}
      <style dangerouslySetInnerHTML={{ __html: `${OWN_TOKENS}${STYLE}` }} />
      {members.map((name) => (
        <g key={name}>
          <path className="life" d={`M${xOf(name)} ${TOP - 16}V${height - 10}`} />
          <rect className="head" x={xOf(name) - 60} y={12} width={120} height={32} rx={8} />
          <text className="head-name" x={xOf(name)} y={33}>
            {name}
          </text>
        </g>
      ))}
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have places, and nothing else that is theirs alone
        <g key={i} transform={`translate(0 ${TOP + ROW * (i + 0.5)})`}>
          {rows[i - 1]?.atMicros !== row.atMicros && !(row.kind === 'line' && row.isFaint) && (
            <text className="instant" x={LEFT - 12} y={4}>
              {formatInstant(row.atMicros)}
            </text>
          )}
          <RowView row={row} width={width} xOf={xOf} />
        </g>
      ))}
    </svg>
  );
}

interface RowProps {
  readonly row: Row;
  readonly width: number;
  readonly xOf: (member: string) => number;
}

function RowView({ row, width, xOf }: RowProps): ReactNode {
  if (row.kind === 'line')
    return (
      <>
        <path className={row.isFaint ? 'pause' : 'line'} d={`M${LEFT} 0H${width - 8}`} />
        <text className={row.isFaint ? 'quiet' : 'said'} x={(LEFT + width) / 2} y={4}>
          {fitting(row.text, (width - LEFT) / 7)}
        </text>
      </>
    );
  if (row.kind === 'note') {
    const text = fitting(row.text, 32);
    const wide = text.length * 6.6 + 18;
    return (
      <g className={`note ${row.mood}`}>
        <rect x={xOf(row.member) - wide / 2} y={-11} width={wide} height={22} rx={11} />
        <text x={xOf(row.member)} y={4}>
          {text}
        </text>
      </g>
    );
  }
  const [from, to] = [xOf(row.from), xOf(row.to)];
  const side = Math.sign(to - from);
  return (
    <g className={`arrow ${row.look}`}>
      <path d={`M${from} 3H${to - side * 2}`} />
      <path
        className="tip"
        d={
          row.look === 'lost'
            ? `M${to - side * 14} -3l10 12m0 -12l-10 12`
            : `M${to - side * 11} -2L${to - side * 2} 3L${to - side * 11} 8`
        }
      />
      <text x={(from + to) / 2} y={-3}>
        {fitting(row.text, Math.abs(to - from) / 6.4)}
      </text>
    </g>
  );
}

function fitting(text: string, letters: number): string {
  const most = Math.floor(letters);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

const STYLE = `
.setpic{font-family:var(--font,Inter,system-ui,sans-serif)}
.setpic text{fill:var(--text);font-size:12px;text-anchor:middle;paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round}
.setpic .life{stroke:var(--line-strong);stroke-width:2}
.setpic .head{fill:var(--secondary-soft);stroke:var(--secondary);stroke-width:1.5}
.setpic .head-name{font-weight:700;font-size:14px;stroke:none}
.setpic .instant{text-anchor:end;fill:var(--text-faint);font-size:11px}
.setpic .line{stroke:var(--text-faint);fill:none}
.setpic .pause{stroke:var(--line-strong);stroke-dasharray:2 5;fill:none}
.setpic .quiet{fill:var(--text-faint)}
.setpic .said{font-weight:600}
.setpic .note rect{fill:var(--surface);stroke:var(--text-muted);stroke-width:1.2}
.setpic .note text{stroke:none;font-weight:600;font-size:11.5px}
.setpic .note.good rect{fill:var(--primary-soft);stroke:var(--primary)}
.setpic .note.bad rect{fill:var(--rollback-soft);stroke:var(--rollback)}
.setpic .note.vote rect{fill:var(--candidate-soft);stroke:var(--candidate)}
.setpic .arrow path{fill:none;stroke:var(--secondary);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.setpic .arrow.ask path{stroke:var(--candidate)}
.setpic .arrow.yes path{stroke:var(--ok)}
.setpic .arrow.no path,.setpic .arrow.lost path{stroke:var(--bad)}
.setpic .arrow.yes path:first-child,.setpic .arrow.no path:first-child,.setpic .arrow.reply path:first-child{stroke-dasharray:6 4}
`;
