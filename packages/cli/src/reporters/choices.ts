import type { Io } from '../io.ts';
import { jsonReporter, junitReporter, tapReporter } from './machine.ts';
import type { PrettyOptions } from './pretty.ts';
import type { Reporter } from './reporter.ts';

export type ReporterName = 'pretty' | 'json' | 'junit' | 'tap';

/** The reporter of that name, which writes to `io`. */
export async function reporterOf(name: ReporterName, io: Io, options: PrettyOptions): Promise<Reporter> {
  switch (name) {
    case 'pretty':
      // It knows how durations are written, which takes loading all that knows scenarios.
      return (await import('./pretty.ts')).prettyReporter(io, options);
    case 'json':
      return jsonReporter(io);
    case 'junit':
      return junitReporter(io);
    case 'tap':
      return tapReporter(io, options.paths.length);
  }
}
