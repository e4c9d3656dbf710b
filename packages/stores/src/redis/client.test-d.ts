/** The clients of Redis fit as they are. */
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { createRedisStore } from './index.ts'

createRedisStore({ client: createClient() })
createRedisStore({ client: createCluster({ rootNodes: [] }) })
createRedisStore({ client: new Redis() })
createRedisStore({ client: new Cluster([]) })
