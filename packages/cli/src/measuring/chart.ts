import { axisX, axisY, plot, rectY } from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { Bin } from './histogram.ts';

/** Of a chart, in its own units. */
const [WIDTH, HEIGHT] = [720, 180];
const TICKS = { x: 6, y: 3 };

export interface ChartLabels {
  /** Under the horizontal axis. */
  readonly x: string;
  /** For those who cannot see it. */
  readonly said: string;
  readonly tickText: (value: number) => string;
}

/** A histogram as SVG, whose bars reach as high as `most` at most. Drawn without a browser, by Observable Plot. */
export function histogramSvg(bins: readonly Bin[], most: number, { x, said, tickText }: ChartLabels): string {
  const { document } = parseHTML('<html><body></body></html>');
  const svg = plot({
    document: document as never,
    width: WIDTH,
    height: HEIGHT,
    marginTop: 24,
    marginBottom: 36,
    marginRight: 24,
    y: { domain: [0, most], grid: true },
    marks: [
      rectY(bins as Bin[], { x1: 'from', x2: 'to', y: 'runs', insetRight: 1 }),
      axisX({ label: x, labelArrow: 'none', ticks: TICKS.x, tickFormat: (value: number) => tickText(value) }),
      axisY({ label: 'runs', labelArrow: 'none', ticks: Math.min(TICKS.y, most), tickFormat: 'd' }),
    ],
  });
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', said);
  // The page allows its own styles alone.
  svg.querySelector('style')?.remove();
  return svg.outerHTML;
}
