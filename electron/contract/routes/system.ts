import { route } from '../route.ts';
import * as s from '../system.ts';

export const systemRoutes = {
  health: route({
    method: 'GET',
    path: '/v1/health',
    tag: 'System',
    summary: 'Whether the server answers',
    access: 'none',
    responses: { 200: s.Health },
    errors: [],
  }),
  system: route({
    method: 'GET',
    path: '/v1/system',
    tag: 'System',
    summary: 'ffmpeg, engine, scanner, folders and limits',
    access: 'key',
    responses: { 200: s.System },
    errors: [],
  }),
  events: route({
    method: 'GET',
    path: '/v1/events',
    tag: 'System',
    summary: 'Server-sent events of what changes',
    description:
      'Begins with a `snapshot`, unless `Last-Event-ID` names an event that is still known: then what came ' +
      'after it follows. `event:` is the type, `data:` a JSON object, `id:` grows.',
    access: 'key',
    responses: {},
    raw: { 200: ['text/event-stream'] },
    limit: 'none',
    errors: [],
  }),
  listRequests: route({
    method: 'GET',
    path: '/v1/requests',
    tag: 'System',
    summary: 'The last 500 API requests, without bodies',
    access: 'owner',
    responses: { 200: s.RequestLog },
    errors: ['forbidden'],
  }),
  listConnections: route({
    method: 'GET',
    path: '/v1/network',
    tag: 'System',
    summary: 'Every outbound connection, the latest first',
    description: 'The latest 10,000 are kept. With the setting `network.offline` none is made.',
    access: 'owner',
    query: s.NetworkQuery,
    responses: { 200: s.NetworkLog },
    errors: ['forbidden'],
  }),
  listModels: route({
    method: 'GET',
    path: '/v1/models',
    tag: 'Models',
    summary: 'The catalogue of models and which are installed',
    access: 'key',
    responses: { 200: s.ModelList },
    errors: [],
  }),
} as const;
