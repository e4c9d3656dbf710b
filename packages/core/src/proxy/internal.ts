/**
 * Functions for Node that the packages of this repository share. They are outside of semantic versioning: do
 * not import them.
 */
export { authorities } from './node-fetch.ts'
export { openTunnel, type TunnelRequest } from './tunnel.ts'
