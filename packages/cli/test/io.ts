import type { Io } from '../src/io.ts';

/** Keeps what a command says. */
export function testIo(
  options: { readonly colours?: boolean } = {},
): Io & { readonly stdout: string; readonly stderr: string } {
  let stdout = '';
  let stderr = '';
  return {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    colours: options.colours ?? false,
    progress: false,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
  };
}
