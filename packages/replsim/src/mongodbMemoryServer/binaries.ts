import { GenericMMSError } from './errors.ts';

/**
 * mongodb-memory-server's access to the mongod binary. Not supported: there is no binary, and a path to nothing would fail only
 * later.
 */
export const MongoBinary = {
  /** @throws GenericMMSError always */
  getPath: (_options?: object): Promise<string> => Promise.reject(noBinary('MongoBinary.getPath')),
  /** @throws GenericMMSError always */
  download: (_options?: object): Promise<string> => Promise.reject(noBinary('MongoBinary.download')),
};

/** Like `MongoBinary`, without downloading. Not supported either. */
export const DryMongoBinary = {
  /** @throws GenericMMSError always */
  locateBinary: (_options?: object): Promise<string | undefined> =>
    Promise.reject(noBinary('DryMongoBinary.locateBinary')),
};

function noBinary(call: string): GenericMMSError {
  return new GenericMMSError(
    `${call}: there is no mongod binary, because the members run inside this process; remove the call`,
  );
}
