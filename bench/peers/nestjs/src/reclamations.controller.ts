import { Controller, ForbiddenException, Get, Param, ParseIntPipe, Query, Req, UseGuards } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuthGuard } from './auth.guard.js';
import type { AuthenticatedRequest } from './auth.guard.js';
import { Reclamation } from './reclamation.entity.js';

@Controller('api/clients/:clientId/reclamations')
@UseGuards(AuthGuard)
export class ReclamationsController {
  constructor(@InjectRepository(Reclamation) private readonly reclamations: Repository<Reclamation>) {}

  @Get()
  list(
    @Req() { user }: AuthenticatedRequest,
    @Param('clientId') clientId: string,
    @Query('limit', ParseIntPipe) limit: number,
  ): Promise<Reclamation[]> {
    if (!user.client_access.includes(clientId)) throw new ForbiddenException();
    return this.reclamations.find({
      where: { client_id: clientId },
      order: { created_at: 'DESC', id: 'DESC' },
      take: limit,
    });
  }
}
