<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- A page as the text of an office document; links are looked up among the headings. -->
  <xsl:output indent="yes"/>
  <xsl:key name="headings" match="h1" use="@id"/>
  <xsl:template match="/"><document><text><xsl:apply-templates select="//body/node()"/></text></document></xsl:template>
  <xsl:template match="h1"><h level="1" name="{@id}"><xsl:apply-templates/></h></xsl:template>
  <xsl:template match="p"><p><xsl:apply-templates/></p></xsl:template>
  <xsl:template match="a">
    <a to="{key('headings', substring(@href, 2))}"><xsl:apply-templates/></a>
  </xsl:template>
  <xsl:template match="img"><frame image="{@src}"/></xsl:template>
  <xsl:template match="ul"><list><xsl:apply-templates select="li"/></list></xsl:template>
  <xsl:template match="li"><item><xsl:apply-templates/></item></xsl:template>
  <xsl:template match="table"><table rows="{count(tr)}"><xsl:apply-templates select="tr"/></table></xsl:template>
  <xsl:template match="tr"><row><xsl:apply-templates select="td"/></row></xsl:template>
  <xsl:template match="td"><cell><xsl:apply-templates/></cell></xsl:template>
</xsl:stylesheet>
