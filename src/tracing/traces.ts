import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Logger } from 'pino';
import type { ObservedRequest, MeasuredInterval } from '../observed.ts';
import { withTimeout } from '../timeout.ts';
import { TRACES_EXPORT_TIMEOUT_MS, TRACES_LOG_PAUSE_MS } from '../limits.ts';

/** The OpenTelemetry SDK reads the variables OTEL_*. @param ratio the sampled part of the traces that begin here */
export async function openTraces({ ratio, log }: { readonly ratio: number; readonly log: Logger }) {
  const { context, defaultTextMapGetter, diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api');
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } = await import(
    '@opentelemetry/sdk-trace-base'
  );
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');

  let lastWarningAt = -Infinity;
  const ignoreMessage = (): void => undefined;
  const logExportWarning = (reason: string): void => {
    if (performance.now() - lastWarningAt < TRACES_LOG_PAUSE_MS) return;
    lastWarningAt = performance.now();
    log.warn({ reason }, 'the trace collector accepts no traces');
  };
  diag.setLogger(
    {
      error: logExportWarning,
      warn: ignoreMessage,
      info: ignoreMessage,
      debug: ignoreMessage,
      verbose: ignoreMessage,
    },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );

  const exporter = new OTLPTraceExporter({
    httpAgentOptions: createBackgroundAgent,
    timeoutMillis: TRACES_EXPORT_TIMEOUT_MS,
  });
  const serviceResource = resourceFromAttributes({ 'service.name': 'taxclaims' });
  const tracerProvider = new BasicTracerProvider({
    resource: serviceResource.merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    // The span processor drops spans while its queue is full.
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = tracerProvider.getTracer('taxclaims');
  const propagator = new W3CTraceContextPropagator();

  function requestEnded(request: ObservedRequest): void {
    const { route, method, role, status, error, timeline, endedMs, traceparent } = request;
    const incomingContext = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
    const attributes = {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.route': route,
      'taxclaims.role': role,
      ...(status === 'aborted' ? { 'error.type': 'aborted' } : { 'http.response.status_code': status }),
      ...(error !== undefined && { 'error.type': error.code }),
    };
    const requestSpanOptions = { kind: SpanKind.SERVER, startTime: timeline.begunMs, attributes };
    const span = tracer.startSpan(`${method} ${route}`, requestSpanOptions, incomingContext);
    if (typeof status === 'number' && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    if (span.isRecording()) {
      const parentContext = trace.setSpan(incomingContext, span);
      for (const stretch of timeline.transactions) addSpan('transaction', stretch, parentContext);
    }
    span.end(endedMs);
  }

  function addSpan(
    name: string,
    { begunMs, endedMs, isFailed }: MeasuredInterval,
    parentContext: typeof ROOT_CONTEXT,
  ): void {
    const childSpanOptions = {
      kind: SpanKind.CLIENT,
      startTime: begunMs,
      attributes: name === 'transaction' ? { 'db.system.name': 'postgresql' } : {},
    };
    const span = tracer.startSpan(name, childSpanOptions, parentContext);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedMs);
  }

  return {
    requestEnded,
    keysFetched: (stretch: MeasuredInterval): void => {
      addSpan('fetch keys', stretch, ROOT_CONTEXT);
    },
    async close(withinMs: number): Promise<void> {
      const createTimeoutError = (): Error => new Error('the collector did not take the last traces in time');
      await withTimeout(
        Math.min(withinMs, TRACES_EXPORT_TIMEOUT_MS),
        tracerProvider.shutdown(),
        createTimeoutError,
      ).catch((error: unknown) => {
        log.warn({ err: error }, 'the last traces are lost');
      });
      diag.disable();
      context.disable();
    },
  };
}

/** Creates an HTTP agent with at most two connections, which do not keep the process running. */
function createBackgroundAgent(protocol: string): Agent {
  const agentOptions = { keepAlive: true, maxSockets: 2 };
  const httpAgent = protocol === 'https:' ? new SecureAgent(agentOptions) : new Agent(agentOptions);
  const createAgentConnection = httpAgent.createConnection.bind(httpAgent);
  httpAgent.createConnection = (...args) => {
    const socket = createAgentConnection(...args);
    if (socket !== null && socket !== undefined && 'unref' in socket) (socket as { unref(): void }).unref();
    return socket;
  };
  return httpAgent;
}
