/**
 * Lets this process load the workspace's TypeScript: tsx for the syntax, and the export condition under which
 * every package of the workspace refers to its sources. It is not part of the published package.
 */
import * as module from 'node:module'
import { register } from 'tsx/esm/api'
import { resolve } from './source-condition.js'

register()
// Older versions of Node have only `register`, whose hooks run in a separate thread; newer versions deprecate it.
if (typeof module.registerHooks === 'function') module.registerHooks({ resolve })
else module.register('./source-condition.js', import.meta.url)
