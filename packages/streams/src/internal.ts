/** Schemas of options, for the packages of this repository. Outside semantic versioning: do not import it. */
export { STREAMS_OPTIONS } from './create-streams.ts'
