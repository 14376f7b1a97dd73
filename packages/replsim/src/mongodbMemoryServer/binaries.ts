import { GenericMMSError } from './errors.ts';

/** mongodb-memory-server's way to a mongod's file. Here is none, and a path to nothing would be found out late. */
export const MongoBinary = {
  /** @throws GenericMMSError always */
  getPath: (_options?: object): Promise<string> => Promise.reject(noBinary('MongoBinary.getPath')),
  /** @throws GenericMMSError always */
  download: (_options?: object): Promise<string> => Promise.reject(noBinary('MongoBinary.download')),
};

/** As `MongoBinary`, without a download. */
export const DryMongoBinary = {
  /** @throws GenericMMSError always */
  locateBinary: (_options?: object): Promise<string | undefined> =>
    Promise.reject(noBinary('DryMongoBinary.locateBinary')),
};

function noBinary(call: string): GenericMMSError {
  return new GenericMMSError(
    `${call}: there is no mongod to download or to find, as the members live in this process; leave the call out`,
  );
}
