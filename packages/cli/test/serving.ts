import type { Io } from '../src/io.ts';
import { main } from '../src/main.ts';

/** A `replsim serve` under way, in this process. */
export interface Serving {
  /** Its connection string, once there is a primary, or nobody is to initiate. */
  readonly uri: string;
  /** What it has said so far. */
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code, when it has ended by itself. */
  readonly ended: Promise<number>;
  /** Ctrl-C. @returns the exit code */
  readonly interrupt: () => Promise<number>;
}

/** Starts `replsim serve` with these arguments, and waits until it is ready. Throws what it said if it ends before. */
export function serve(...args: readonly string[]): Promise<Serving> {
  return serveWith({}, args);
}

/** @param beside what the command line has beside its streams */
export async function serveWith(beside: Partial<Io>, args: readonly string[]): Promise<Serving> {
  let out = '';
  let err = '';
  let stop = () => {};
  let ended: Promise<number> | undefined;
  const uri = await new Promise<string>((resolve, reject) => {
    ended = main(['serve', ...args], {
      out: (text) => {
        out += text;
        if (/^(ready|\{"type":"ready")/m.test(out)) resolve(/mongodb:\/\/[^\s"]+/.exec(out)![0]);
      },
      err: (text) => {
        err += text;
      },
      colours: false,
      progress: false,
      ...beside,
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
    ended.then((code) => reject(new Error(`serve ended with ${code}: ${err}`)), reject);
  });
  return {
    uri,
    out: () => out,
    err: () => err,
    ended: ended!,
    interrupt: () => {
      stop();
      return ended!;
    },
  };
}
