import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { BINARY, ENV, home } from './mongosh.ts';

const ESC = '\u001b';
/** The prompt at the beginning of the last line, and behind it the cursor. */
const READY = new RegExp(`${ESC}\\[1G${ESC}\\[0J([^\n${ESC}]*> )${ESC}\\[\\d+G$`);
const ERASE_LINE = '\x15';
/** How often to look for another prompt. */
const ENTERS = 1000;

/** A shell at a terminal, with somebody who types. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  /** What has come since somebody last typed, control sequences and all. */
  #heard = '';
  #look = () => {};
  /** How it ended. */
  readonly ended: Promise<number | null>;
  /** What stands before the cursor, as `rs0 [primary] test> `. */
  prompt = '';
  /** What the shell has said on its start. */
  banner = '';

  /** Resolves at the first prompt. @param args the shell's */
  static async start(...args: readonly string[]): Promise<Terminal> {
    const terminal = new Terminal(args);
    terminal.banner = await terminal.#answer();
    return terminal;
  }

  private constructor(args: readonly string[]) {
    const env = { ...ENV, MONGOSH_FORCE_TERMINAL: '1', MONGOSH_SKIP_NODE_VERSION_CHECK: '1' };
    this.#child = spawn(process.execPath, [BINARY, ...args], { env, cwd: home });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#heard += text;
        this.#look();
      });
    }
    this.#child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (status) => resolve(status));
    });
  }

  /** Types a line and Enter. @returns what the shell says until its next prompt, without trailing white space */
  async enter(line: string): Promise<string> {
    this.#type(`${line}\r`);
    const said = await this.#answer();
    // First comes the line itself, as typed.
    return said.slice(said.indexOf('\n') + 1).trimEnd();
  }

  /** Presses Enter until the prompt is this: the shell hears of a new topology on a connection of its own. */
  async untilPrompt(wanted: string): Promise<void> {
    for (let i = 0; this.prompt !== wanted; i++) {
      if (i === ENTERS) throw new Error(`the prompt is still ${this.prompt}`);
      await this.enter('');
    }
  }

  /** Types and presses Tab. Resolves once the line has become `completed`. */
  async tab(line: string, completed: string): Promise<void> {
    this.#type(`${line}\t`);
    await this.#until(() => this.#screen().endsWith(completed));
  }

  /** Presses Tab once more, which lists how the line may go on. Resolves once all of that is on the screen. */
  async tabAgain(...choices: readonly string[]): Promise<void> {
    this.#type('\t');
    await this.#until(() => choices.every((each) => this.#screen().includes(each)));
  }

  /** Erases what has been typed. */
  async erase(): Promise<void> {
    this.#type(ERASE_LINE);
    await this.#answer();
  }

  /** Types `exit`. @returns the exit code */
  leave(): Promise<number | null> {
    this.#type('exit\r');
    return this.ended;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #type(keys: string): void {
    this.#heard = '';
    this.#child.stdin.write(keys);
  }

  async #answer(): Promise<string> {
    await this.#until(() => READY.test(this.#heard));
    const [{ index, 1: prompt }] = [READY.exec(this.#heard)!];
    this.prompt = prompt!;
    return shown(this.#heard.slice(0, index));
  }

  #screen(): string {
    return shown(this.#heard);
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        if (holds()) resolve();
      };
      this.#look();
      this.ended.then((status) => reject(new Error(`the shell has ended with ${status}:\n${this.#heard}`)));
    });
  }
}

function shown(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '');
}

/** One shell at a terminal for all tests of the `describe` block. @param where as on its command line @returns how to get it */
export function useTerminal(where: () => readonly string[]): () => Terminal {
  let terminal: Terminal | undefined;
  beforeAll(async () => {
    terminal = await Terminal.start(...where());
  });
  afterAll(() => terminal?.kill());
  return () => terminal!;
}
