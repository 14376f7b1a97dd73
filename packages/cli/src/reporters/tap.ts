import type { Io } from '../io.ts';
import { countsLine, type Outcome, oneLine, type Reporter } from './reporter.ts';

/** Test Anything Protocol, version 14. */
export function tapReporter(io: Io, total: number): Reporter {
  let number = 0;
  io.out(`TAP version 14\n1..${total}\n`);
  return {
    finished({ ok, name, failure, error, repeat }: Outcome) {
      number += 1;
      io.out(`${ok ? 'ok' : 'not ok'} ${number} - ${described(name)}\n`);
      if (!failure) return;
      const detail = [failure.title, failure.detail, `repeat with: ${repeat}`].filter(Boolean).join('\n');
      const severity = error === undefined ? '' : '  severity: error\n';
      io.out(`  ---\n${severity}  message: ${block(detail)}\n  ...\n`);
    },
    ended({ outcomes }) {
      io.out(`# ${countsLine(outcomes)}\n`);
      // Whoever reads the plan waits for the rest.
      if (number < total) io.out('Bail out! the rest is not run\n');
    },
    brokenOff(why) {
      io.out(`Bail out! ${described(why)}\n`);
    },
  };
}

/** One line, in which `#` begins no directive. */
function described(text: string): string {
  return oneLine(text).replaceAll(/[\\#]/g, '\\$&');
}

/** YAML's block of lines as they are; its indentation is told, as the first line may begin with blanks of its own. */
function block(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what YAML forbids, and line ends that not all readers know
  const printable = text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]|\p{Surrogate}/gu, '');
  return `|2-\n${printable.replace(/^/gm, '    ')}`;
}
