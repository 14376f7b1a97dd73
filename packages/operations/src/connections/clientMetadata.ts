import { bytesOf, Fields, legible } from '@replsim/pipeline';
import { BsonType, CommandError, decodePromoted, encodeName } from '@replsim/protocol';

/** Unit: bytes. Upstream: client_metadata.cpp, kMaxMongoDMetadataDocumentByteLength. */
const MAX_DOCUMENT_BYTES = 512;
/** Unit: bytes. Upstream: client_metadata.cpp, kMaxApplicationNameByteLength. */
const MAX_APPLICATION_NAME_BYTES = 128;

/** What a client's handshake says of the client: `client` of the first `hello`. */
export interface ClientMetadata {
  /** The document, BSON. */
  readonly bytes: Uint8Array;
  /** `application.name`, on which fail points select. */
  readonly appName: string | undefined;
}

/**
 * Reads and checks the document.
 * Errors: TypeMismatch 14, ClientMetadataMissingField 183, ClientMetadataAppNameTooLarge 184, ClientMetadataDocumentTooLarge
 * 185. Upstream: client_metadata.cpp, ClientMetadata::parse.
 */
export function parseClientMetadata(bytes: Uint8Array): ClientMetadata {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw new CommandError(
      'ClientMetadataDocumentTooLarge',
      `The client metadata document must be less than or equal to ${MAX_DOCUMENT_BYTES} bytes, and has ${bytes.length}`,
    );
  }
  const fields = new Fields(bytes, 'client');
  const application = part(fields, 'application');
  const appName = application && stringIn(application, 'name');
  if (appName !== undefined && encodeName(appName).length > MAX_APPLICATION_NAME_BYTES) {
    throw new CommandError(
      'ClientMetadataAppNameTooLarge',
      `client.application.name may have ${MAX_APPLICATION_NAME_BYTES} bytes at most`,
    );
  }
  const driver = part(fields, 'driver') ?? missing('sub-document', 'driver');
  for (const name of ['name', 'version']) if (stringIn(driver, name) === undefined) missing('field', `driver.${name}`);
  const os = part(fields, 'os') ?? missing('sub-document', 'os');
  if (stringIn(os, 'type') === undefined) missing('field', 'os.type');
  return { bytes: legible(bytes), appName };
}

/** For people and logs. */
export function shownMetadata({ bytes }: ClientMetadata): unknown {
  return decodePromoted(bytes);
}

function part(fields: Fields, name: string): Fields | undefined {
  const value = fields.rawValue(name);
  if (value === undefined) return undefined;
  if (value.type !== BsonType.object) mistyped(name, 'document');
  return new Fields(bytesOf(value), `client.${name}`);
}

function stringIn(fields: Fields, name: string): string | undefined {
  const value = fields.rawValue(name);
  if (value !== undefined && value.type !== BsonType.string) mistyped(`${fields.path}.${name}`, 'string');
  return fields.string(name);
}

function mistyped(field: string, wanted: string): never {
  throw new CommandError('TypeMismatch', `${field} in the client metadata is not a ${wanted}`);
}

function missing(what: 'field' | 'sub-document', name: string): never {
  throw new CommandError('ClientMetadataMissingField', `the client metadata lacks the ${what} '${name}'`);
}
