import type { Io } from '../io.ts';
import { countsLine, type Outcome, type Reporter } from './reporter.ts';

/** One JSON document for programs; its `version` grows when a reader would have to change. */
export function jsonReporter(io: Io): Reporter {
  return {
    ended({ outcomes }) {
      const scenarios = outcomes.map(
        ({ path, name, ok, seed, steps, virtualMs, wallMs, workloads, ttl, failure, repeat }) => ({
          file: path,
          name,
          ok,
          seed,
          steps,
          virtualMs,
          wallMs: Math.round(wallMs),
          ...(workloads.length > 0 && { workloads }),
          ...(ttl && ttl.length > 0 && { ttl }),
          ...(failure && { failure: { ...failure, repeat } }),
        }),
      );
      const passed = outcomes.filter(({ ok }) => ok).length;
      const report = { version: 1, passed, failed: outcomes.length - passed, scenarios };
      io.out(`${JSON.stringify(report, undefined, 2)}\n`);
    },
  };
}

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

/** JUnit's XML, as CI servers read it. */
export function junitReporter(io: Io): Reporter {
  return {
    ended({ outcomes }) {
      const failed = outcomes.filter(({ ok }) => !ok).length;
      const time = outcomes.reduce((sum, { wallMs }) => sum + wallMs, 0) / 1000;
      const cases = outcomes.map((outcome) => testCase(outcome));
      io.out('<?xml version="1.0" encoding="UTF-8"?>\n');
      io.out(`<testsuites tests="${outcomes.length}" failures="${failed}" time="${time.toFixed(3)}">\n`);
      io.out(
        `  <testsuite name="replsim" tests="${outcomes.length}" failures="${failed}" time="${time.toFixed(3)}">\n`,
      );
      io.out(`${cases.join('\n')}\n  </testsuite>\n</testsuites>\n`);
    },
  };
}

function testCase({ name, path, wallMs, failure, repeat }: Outcome): string {
  const open = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(path)}" time="${(wallMs / 1000).toFixed(3)}"`;
  if (!failure) return `${open}/>`;
  const text = escapeXml(`${failure.detail}\nrepeat with: ${repeat}`);
  return `${open}>\n      <failure message="${escapeXml(failure.title)}">${text}</failure>\n    </testcase>`;
}

/** XML 1.0 text; characters that XML cannot hold at all are left out. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are just the ones that XML forbids
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '');
  return allowed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
