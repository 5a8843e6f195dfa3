/**
 * Returns a client’s newest claims with NestJS and TypeORM. The filter is written by hand, and no policy applies to the
 * login.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Reclamation } from './reclamation.entity.js';
import { ReclamationsController } from './reclamations.controller.js';

@Module({
  imports: [
    JwtModule.register({
      publicKey: process.env.AUTH_PUBLIC_KEY,
      verifyOptions: {
        algorithms: ['RS256'],
        issuer: process.env.AUTH_ISSUER,
        audience: process.env.AUTH_AUDIENCE,
      },
    }),
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env.DATABASE_URL,
      poolSize: 10,
      entities: [Reclamation],
    }),
    TypeOrmModule.forFeature([Reclamation]),
  ],
  controllers: [ReclamationsController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
await app.listen(Number(process.env.PORT), '127.0.0.1');
