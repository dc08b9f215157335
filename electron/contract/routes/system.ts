import { z } from 'zod';
import { route } from '../route.ts';
import * as s from '../system.ts';

const byModel = z.object({
  id: z.string().min(1).max(200).describe('An id of the list, or nano, mini, pro.'),
});

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
    headers: s.EventHeaders,
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
  installModel: route({
    method: 'POST',
    path: '/v1/models/{id}/install',
    tag: 'Models',
    summary: 'Download a model, or go on with its download',
    description:
      'Answers at once: `download` in the list and the `model.progress` events say how far it is. The file is ' +
      'held against its published checksum and walked through before it counts. 200: it is installed already.',
    access: 'owner',
    params: byModel,
    responses: { 200: s.ModelAnswer, 202: s.ModelAnswer },
    errors: ['forbidden', 'model_not_found', 'disk_full'],
  }),
  pauseModel: route({
    method: 'POST',
    path: '/v1/models/{id}/pause',
    tag: 'Models',
    summary: 'Pause the download of a model; installing goes on with it',
    access: 'owner',
    params: byModel,
    responses: { 200: s.ModelAnswer },
    errors: ['forbidden', 'model_not_found', 'conflict'],
  }),
  removeModel: route({
    method: 'DELETE',
    path: '/v1/models/{id}',
    tag: 'Models',
    summary: 'Remove a model, or cancel its download',
    description: 'A model that comes with the program, or that a running transcription uses, is a 409.',
    access: 'owner',
    params: byModel,
    responses: { 200: s.ModelRemoved },
    errors: ['forbidden', 'model_not_found', 'conflict'],
  }),
  importModel: route({
    method: 'POST',
    path: '/v1/models/import',
    tag: 'Models',
    summary: 'Copy a model file of this machine in',
    description: 'The whole copy is checked before it becomes a model; the file itself stays where it is.',
    access: 'owner',
    body: s.ImportModel,
    responses: { 201: s.ModelAnswer },
    errors: ['forbidden', 'conflict', 'content_mismatch', 'engine_unavailable', 'disk_full'],
  }),
  benchmarkModel: route({
    method: 'POST',
    path: '/v1/models/{id}/benchmark',
    tag: 'Models',
    summary: 'Measure how fast an installed model is on this machine',
    description:
      'The speed is kept, shown in the list, and used for the time that a transcription will take.',
    access: 'owner',
    params: byModel,
    responses: { 200: s.ModelBenchmark },
    errors: ['forbidden', 'model_not_found', 'conflict', 'engine_unavailable'],
  }),
} as const;
