/** What a driver takes from its connection string, under the names that it has there. */
export interface DriverOptions {
  /** How long an operation waits for a server that fits. */
  readonly serverSelectionTimeoutMS: number;
  /** How long a monitor waits for its hello. */
  readonly connectTimeoutMS: number;
  /** How long an operation waits for its answer; 0 is for ever. */
  readonly socketTimeoutMS: number;
  readonly heartbeatFrequencyMS: number;
  readonly localThresholdMS: number;
  readonly retryWrites: boolean;
  readonly retryReads: boolean;
}

/** The defaults of MongoDB's driver for Node.js. */
export const DEFAULT_DRIVER_OPTIONS: DriverOptions = {
  serverSelectionTimeoutMS: 30_000,
  connectTimeoutMS: 30_000,
  socketTimeoutMS: 0,
  heartbeatFrequencyMS: 10_000,
  localThresholdMS: 15,
  retryWrites: true,
  retryReads: true,
};

/** No server is asked for its hello more often. Upstream: minHeartbeatFrequencyMS, which nobody may change. */
export const MIN_HEARTBEAT_FREQUENCY_MS = 500;
