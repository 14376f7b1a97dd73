import { required } from '@replsim/protocol';
import type { ChalkInstance } from 'chalk';

const MEMBER_COLOURS = ['cyan', 'magenta', 'yellow', 'blue', 'green', 'red'] as const;

/** Paints the lines of a transcript: the time dim, each member in a colour of its own. */
export function painter(chalk: ChalkInstance): (line: string) => string {
  const colourOf = new Map<string, (text: string) => string>();
  return (line) => {
    const match = /^(\s*\S+s) (\S+)( .*)?$/s.exec(line);
    if (!match) return line;
    const [, time, who, rest = ''] = match;
    if (who === undefined || !/^[\w-]+$/.test(who)) return `${chalk.dim(time)} ${who}${rest}`;
    let colour = colourOf.get(who);
    if (!colour) {
      colour = chalk[required(MEMBER_COLOURS[colourOf.size % MEMBER_COLOURS.length], 'colour for a member')];
      colourOf.set(who, colour);
    }
    return `${chalk.dim(time)} ${colour(who)}${rest}`;
  };
}
