import { eachFile } from './eachFile.ts';

eachFile();
