export { noFolderAt, readText } from './files.ts';
export { ExitCodes, InputError, type Io } from './io.ts';
export { type Dump, readDump } from './loading/dump.ts';
export { loadDump } from './loading/loadDump.ts';
export { main } from './main.ts';
export { type SortedArguments, sortArguments } from './mongodConf/sortArguments.ts';
export { playForParent } from './playing/playForParent.ts';
export { checkRecordable, RecordingFile } from './recordingFile.ts';
export { readScenario, withDocuments } from './scenarioText.ts';
