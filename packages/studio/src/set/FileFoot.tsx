import type { ReactNode } from 'react';
import type { Caption } from '../tempo/film.ts';
import { CAPTION_LINES, captionLines, legendLines, MEANINGS, meaningWidth, type Sign } from './footText.ts';
import type { Scale } from './places.ts';

const MARGIN = 16;
const LINE = 19;
const LEGEND_LINE = 21;

/** How high it is, whatever is written in it. Unit: px. */
export function footHeight(width: number, scale: Scale): number {
  return 24 + CAPTION_LINES * LINE + legendLines(width - 2 * MARGIN, scale).length * LEGEND_LINE;
}

interface Props {
  readonly caption: Caption | undefined;
  readonly atMicros: number;
  readonly width: number;
  readonly y: number;
  /** How members are drawn above it. */
  readonly scale: Scale;
}

/** What a picture in a file says below the set, as nothing stands around it: the instant, what happens, and what its signs mean. */
export function FileFoot({ caption, atMicros, width, y, scale }: Props): ReactNode {
  const room = width - 2 * MARGIN;
  return (
    <g className="foot" transform={`translate(${MARGIN} ${Math.round(y)})`}>
      {captionLines(caption, atMicros, room).map((line, i) => (
        <text key={line} className="caption" y={24 + i * LINE}>
          {line}
        </text>
      ))}
      {legendLines(room, scale).map((signs, i) => (
        <g key={signs[0]} transform={`translate(0 ${28 + CAPTION_LINES * LINE + i * LEGEND_LINE})`}>
          {signs.map((sign, j) => (
            <g
              key={sign}
              transform={`translate(${signs.slice(0, j).reduce((sum, each) => sum + meaningWidth(each), 0)} 0)`}
            >
              {SIGNS[sign]}
              <text className="meaning" x={MEANINGS[sign][1] + 6}>
                {MEANINGS[sign][0]}
              </text>
            </g>
          ))}
        </g>
      ))}
    </g>
  );
}

const SIGNS: Readonly<Record<Sign, ReactNode>> = {
  operations: ['+', '~', '−'].map((sign, i) => (
    <g key={sign} className="cell term-1" transform={`translate(${i * 15} -11)`}>
      <rect width={14} height={14} rx={2} />
      <text x={7} y={11}>
        {sign}
      </text>
    </g>
  )),
  terms: [1, 2].map((term, i) => (
    <g key={term} className={`cell term-${term}`} transform={`translate(${i * 15} -11)`}>
      <rect width={14} height={14} rx={2} />
    </g>
  )),
  majority: <path className="mark" d="M4 -13V5" />,
  rings: (
    <g transform="translate(9 -4)">
      <path className="ring pass" d="M0 -8A8 8 0 1 1 -8 0" strokeWidth={2} />
      <path className="ring election" d="M0 -4.5A4.5 4.5 0 1 1 -4.5 0" strokeWidth={3} />
    </g>
  ),
  candidacy: (
    <g transform="translate(9 -4)">
      <path className="ring election" d="M0 -6A6 6 0 1 1 -6 0" strokeWidth={3} />
    </g>
  ),
  apart: <circle className="apart" cx={9} cy={-4} r={7} />,
  dry: (
    <g className="message vote dry">
      <rect className="body" x={1} y={-10} width={22} height={13} rx={6.5} />
    </g>
  ),
};
