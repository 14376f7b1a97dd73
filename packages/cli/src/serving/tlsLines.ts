import { basename } from 'node:path';
import type { ServedSet } from '@replsim/server';

/** What whoever serves a set hears of its certificates; nothing without TLS. */
export function tlsLines({ tls }: ServedSet): readonly string[] {
  if (tls === undefined) return [];
  const { material, throwAway, warnings } = tls;
  const { mode, CAFile } = material.settings;
  const files =
    throwAway &&
    [throwAway.CAFile, throwAway.certificateKeyFile, throwAway.clientKeyFile].map((each) => basename(each));
  const ca = CAFile === undefined ? 'the authority of its certificate' : CAFile;
  return [
    throwAway === undefined
      ? `TLS (${mode}): certificate of ${material.serverSubject}; clients need tls=true and tlsCAFile=${ca}`
      : `TLS (${mode}): ${files?.join(', ')} in ${throwAway.folder}, for as long as the set runs`,
    ...warnings.map((each) => `warning: ${each}`),
  ];
}
