/** docs/reference/metrics.md: all metrics and log lines, from their tables. */
import type { Generated } from '../files.ts'
import { metricsPage } from './page.ts'

export function generate(): Generated {
  return { files: new Map([['docs/reference/metrics.md', metricsPage()]]) }
}
