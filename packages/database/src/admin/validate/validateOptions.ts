import type { CommandArguments } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { MemberFacts } from '../../member.ts';

/** What `validate` is asked to look at. */
export interface ValidateOptions {
  /** The catalog alone, no record. */
  readonly metadata: boolean;
  readonly checkBSONConformance: boolean;
  readonly repair: boolean;
}

/**
 * Reads the options; whatever is not false counts as true.
 * Errors: InvalidOptions 72 for what does not go together or cannot be done on a member of a set, CommandNotSupported 115 for
 * `background` where there are no checkpoints to read. Upstream: validate.cpp, ValidateCmd::run.
 */
export function validateOptions(args: CommandArguments, { memberState }: MemberFacts): ValidateOptions {
  const asked = (name: string) => args.truth(name);
  const full = asked('full');
  const background = asked('background');
  const metadata = asked('metadata');
  const repair = asked('repair');
  const checkBSONConformance = asked('checkBSONConformance');
  for (const other of ['background', 'full', 'enforceFastCount', 'repair', 'fixMultikey', 'checkBSONConformance']) {
    if (metadata && asked(other)) throw incompatible('metadata', other);
  }
  if (background && full) throw incompatible('background', 'full');
  if (background && asked('enforceFastCount')) throw incompatible('background', 'enforceFastCount');
  if (background && repair) throw incompatible('background', 'repair');
  if (repair && checkBSONConformance) throw incompatible('repair', 'checkBSONConformance');
  if (full && args.has('checkBSONConformance') && !checkBSONConformance)
    throw new CommandError(
      'InvalidOptions',
      'checkBSONConformance: false does not go with full: true, which checks it',
    );
  const isStandalone = memberState === 'STANDALONE';
  if (repair && !isStandalone) {
    throw new CommandError('InvalidOptions', 'repair: true needs a standalone; this is a member of a set');
  }
  if (background && isStandalone) {
    throw new CommandError('CommandNotSupported', 'background: true needs a member of a replica set');
  }
  return { metadata, checkBSONConformance, repair };
}

function incompatible(one: string, other: string): CommandError {
  return new CommandError('InvalidOptions', `${one}: true and ${other}: true do not go together`);
}
