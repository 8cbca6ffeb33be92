<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="xml"/>
  <!-- Numbers headings, adds a table of contents and a class to every element. -->
  <xsl:template match="@*|node()">
    <xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
  <xsl:template match="body">
    <body>
      <ul class="contents">
        <xsl:for-each select="h1"><li><a href="#{@id}"><xsl:value-of select="."/></a></li></xsl:for-each>
      </ul>
      <xsl:apply-templates/>
    </body>
  </xsl:template>
  <xsl:template match="h1">
    <h1 class="heading"><xsl:copy-of select="@id"/><xsl:number level="any"/>. <xsl:apply-templates/></h1>
  </xsl:template>
  <xsl:template match="p|td|li">
    <xsl:copy><xsl:attribute name="class"><xsl:value-of select="name()"/></xsl:attribute><xsl:apply-templates select="@*|node()"/></xsl:copy>
  </xsl:template>
</xsl:stylesheet>
