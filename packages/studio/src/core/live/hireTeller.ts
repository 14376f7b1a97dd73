import type { Remote } from 'comlink';
import { hire } from '../run/hire.ts';
import { programFor } from '../run/program.ts';
import type { TellerApi } from './liveTeller.ts';

/** A worker that tells of a live set as long as its page is there. */
export async function hireTeller(): Promise<Remote<TellerApi>> {
  return hire<TellerApi>(await programFor()).remote;
}
