/** Toolkit for Node that the packages of this repository share. It is outside semantic versioning: do not import it. */
export { authorities } from './node-fetch.ts'
export { openTunnel, type TunnelRequest } from './tunnel.ts'
