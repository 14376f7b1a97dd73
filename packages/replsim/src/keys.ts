import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';

const NAMED: Readonly<Record<string, string>> = {
  return: 'enter',
  enter: 'enter',
  escape: 'escape',
  backspace: 'backspace',
};

/**
 * Reports each key as soon as it is pressed; by default a terminal delivers whole lines.
 * @param interrupt called on Ctrl-C, which the terminal no longer handles itself
 * @returns a function that restores the terminal
 */
export function keysOf(
  terminal: Pick<ReadStream, 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'> & NodeJS.ReadableStream,
  pressed: (key: string) => void,
  interrupt: () => void,
): () => void {
  const onKeypress = (text: string | undefined, { name = '', ctrl }: Key): void => {
    if (ctrl && name === 'c') interrupt();
    else if (NAMED[name] !== undefined) pressed(NAMED[name]);
    else if (text !== undefined && !ctrl && /^\P{C}$/u.test(text)) pressed(text);
  };
  emitKeypressEvents(terminal);
  terminal.setRawMode(true);
  terminal.on('keypress', onKeypress);
  terminal.resume();
  return () => {
    terminal.off('keypress', onKeypress);
    terminal.setRawMode(false);
    terminal.pause();
  };
}
