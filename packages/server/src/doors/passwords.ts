import { SCRAM_MECHANISMS, SCRAM_SHAPES, type ScramMechanism, setSecret, withoutPassword } from '@replsim/access';
import type { ReplSetOptions } from '@replsim/replset';

/** @returns makes of a command one that does the same and names no password */
export function passwordRemover({ parameters = {}, access }: ReplSetOptions): (command: Uint8Array) => Uint8Array {
  const enabled = String(parameters.authenticationMechanisms ?? SCRAM_MECHANISMS);
  const settings = {
    mechanisms: SCRAM_MECHANISMS.filter((each) => enabled.split(',').includes(each)),
    serverSecret: setSecret(access?.keys ?? []),
    iterations(mechanism: ScramMechanism) {
      const { iterations, defaultIterations } = SCRAM_SHAPES[mechanism];
      return Number(parameters[iterations] ?? defaultIterations);
    },
    newId: () => new Uint8Array(16),
  };
  return (command) => withoutPassword(command, settings);
}
