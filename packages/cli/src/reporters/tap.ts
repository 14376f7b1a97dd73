import type { Io } from '../io.ts';
import { countsLine, type Outcome, type Reporter } from './reporter.ts';

/** Test Anything Protocol, version 14. */
export function tapReporter(io: Io, total: number): Reporter {
  let number = 0;
  io.out(`TAP version 14\n1..${total}\n`);
  return {
    finished({ ok, name, failure, repeat }: Outcome) {
      number += 1;
      io.out(`${ok ? 'ok' : 'not ok'} ${number} - ${name.replaceAll('#', '\\#')}\n`);
      if (!failure) return;
      const detail = [failure.title, failure.detail, `repeat with: ${repeat}`].filter(Boolean).join('\n');
      io.out(`  ---\n  message: |\n${detail.replace(/^/gm, '    ')}\n  ...\n`);
    },
    ended({ outcomes }) {
      io.out(`# ${countsLine(outcomes)}\n`);
    },
  };
}
